"""The k-vertex subsets of a graph, by isomorphism class: how many there are, and a uniform one of each."""
