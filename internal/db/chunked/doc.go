// Package chunked does long work on a database beside the messages of people:
// pruning, forgetting, importing, tidying the file, storing vectors. It finds on
// readers what has to be done, and does it on the writer in chunks of at most
// 50 ms, each a transaction of its own, that stop as soon as a message waits. So
// work can be cut short anywhere; whoever starts it again finds what is left. It
// knows what rows are, and none of what they mean.
package chunked
