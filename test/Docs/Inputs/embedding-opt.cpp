// EXAMPLE docs/embedding.md 1
