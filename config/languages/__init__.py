"""Languages of the site: the one of a request, and the catalogues of messages. Start with: middleware, catalogues."""
