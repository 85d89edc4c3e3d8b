// Package provenance records whose words something contains and how they came, says who may
// see stored rows, and writes words so that nobody's can look like another person's. Rows
// carry it as columns. It reads no table and decides nothing by what a text looks like.
package provenance
