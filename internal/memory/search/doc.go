// Package search finds conversations, and messages in them, for the owner who looks at
// all of them: by words, place, person, rule and tool, by how they ended and what they
// took. It reads rows that memory writes, and changes none.
package search
