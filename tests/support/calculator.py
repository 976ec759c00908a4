"""A line for the rating calculator."""

LINE = {
    "system": "elo",
    "teams": [
        {"place": 1, "players": [{"id": "a", "skill": {"rating": 25.0}}]},
        {"place": 2, "players": [{"id": "b", "skill": None}]},
    ],
}  # fmt: skip
