"""Knowledge checks, whose right answers are computed."""
