"""The API's views, one resource a module. Start with: matches, recording."""
