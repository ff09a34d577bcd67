"""Operations dashboard."""
