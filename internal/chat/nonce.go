package chat

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
)

// Nonce names one part of one answer, the same on every attempt and
// different for any other: 25 characters of base32(sha256), which is what
// Discord takes. salt belongs to one
// database, so that a platform never answers with a message of another one.
func Nonce(salt []byte, what string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x|%s|%d", salt, what, part))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:25])
}
