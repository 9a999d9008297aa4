"""
Concept drift of a deployed model
=================================

Test.
"""

print(1)
