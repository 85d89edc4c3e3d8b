// Package postings keeps in memory which entries of the index of what was said have a word, for
// the frequent words that questions asked for last. It stores nothing, knows no text but these
// words, and asks the index before each use what came since and whether something was taken out.
package postings
