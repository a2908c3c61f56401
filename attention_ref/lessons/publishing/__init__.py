"""What readers get: woven pages, panels, scripts, and the report of a build."""
