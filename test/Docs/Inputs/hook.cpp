// The program of docs/hooks.md, which is whole.
// EXAMPLE docs/hooks.md 1
