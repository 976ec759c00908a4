"""Views of the pages: each calls one domain function and renders a template. Start with: boards, players."""
