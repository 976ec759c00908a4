"""Sentences, numbers and dates in the language of the reader, for pure code. Start with: translation, dates."""
