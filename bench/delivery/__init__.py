"""Does a decision of an earlier chat reach the prompt that needs it, and nothing the others?"""
