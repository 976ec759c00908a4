"""The scaled profile's database backend."""
