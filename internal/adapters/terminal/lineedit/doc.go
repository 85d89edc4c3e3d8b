// Package lineedit is the line in which a person types on a terminal: keys, what
// they do to the line, the lines typed before, and how all of it is laid out on
// rows. It opens no terminal and starts nothing; its callers bring the bytes and
// show the frames.
package lineedit
