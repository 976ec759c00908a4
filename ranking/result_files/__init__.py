"""Turns files of results, as people have them, into values of the API's format: JSON Lines, a JSON array, or CSV. Pure.

`formats` recognises a file, `json_results` and `csv_results` read it, `headings` gives meaning to the columns of CSV,
`played_times` reads dates and times, `result_ids` makes ids of results that have none.
"""
