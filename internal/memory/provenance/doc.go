// Package provenance is whose words something is made of, how they came, who may
// see what is stored of them, and how they are written so that nobody's can look
// like another's. Stored rows carry it as columns. It reads no table and decides
// nothing by what a text looks like.
package provenance
