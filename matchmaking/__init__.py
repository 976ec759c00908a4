"""Who plays whom: queues, the matcher, lobbies and game servers. Start with: urls, queues, matcher."""
