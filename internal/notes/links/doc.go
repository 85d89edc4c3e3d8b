// Package links finds the links between notes, resolves them as Obsidian does, and
// rewrites them so that each still leads to the same file after files moved. It knows
// wikilinks, embeds, Markdown links and definitions, links in frontmatter and canvas
// files. It reads and writes no file.
package links
