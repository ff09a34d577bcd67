"""What an installation of a given size needs, computed from unit costs that ``make bench`` measured."""
