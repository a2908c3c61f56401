"""What a page does: its blocks run in processes of their own, their results kept."""
