"""The plant benchmark: the drive of a fictional parts maker, questions whose answers are known by construction, and figures."""
