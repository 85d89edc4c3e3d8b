// Package citation checks what an answer cites: the marks that models write, in all
// their forms, against the passages they name, and the numbers, dates, names and quoted
// words before a mark against what those say. It asks no model and changes no word of an
// answer but its marks and lists of sources.
package citation
