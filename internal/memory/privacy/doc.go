// Package privacy holds everything that is stored about a person, for them to read, and
// has every process on a database forget what one of them forgets. It gathers nothing
// itself.
package privacy
