// Package ranking ranks what was said by how well it answers a question. It is
// pure: it reads no database, asks no model and keeps nothing between calls but
// its lists of words. Who may see what was decided before.
package ranking
