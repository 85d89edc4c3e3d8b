package urls

import (
	"errors"
	"net/url"
)

// Bare returns an error of net/http without the address of its request, which may hold a token
// or a password; any other error as it is.
func Bare(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
