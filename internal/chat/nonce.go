package chat

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
)

// Nonce names one part of one thing said, the same on every attempt and
// different for any other: 25 characters of base32(sha256), which is what
// Discord takes (promises.md section 1, platforms.md A2).
func Nonce(what string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d", what, part))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:25])
}

// AnswerNonce is the Nonce of a part of the answer to an inbox row. A preview
// that is posted under the nonce of part 0 is found again by the final post.
func AnswerNonce(row int64, part int) string { return Nonce(fmt.Sprint("answer:", row), part) }
