// Package code finds what a file of code defines and where names are used: through
// universal-ctags, a program of its own, where it is installed, and otherwise by
// reading the text as each family of languages writes it. It reads no file itself and
// runs nothing of what it reads.
package code
