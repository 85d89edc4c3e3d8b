// Package daily says where the daily note of a day is and what it says with one line
// more, as Obsidian's own daily notes are set up. It reads and writes no file, and it
// decides nothing about who may read them.
package daily
