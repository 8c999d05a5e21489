"""Claims that were never right: taking them back, and the doubt that they cast on their neighbours."""
