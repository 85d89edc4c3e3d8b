package urls_test

import (
	"errors"
	"fmt"
	"net/url"
	"testing"

	"parley/internal/text/urls"
)

// TestBare: an address that a request failed at, wherever it stands in the error, is not said.
func TestBare(t *testing.T) {
	t.Parallel()
	inner := errors.New("refused")
	for _, err := range []error{&url.Error{Op: "Get", URL: "https://h/bot123:SECRET/x", Err: inner},
		fmt.Errorf("ask: %w", &url.Error{Op: "Get", URL: "https://h/?key=SECRET", Err: inner}), inner} {
		if got := urls.Bare(err); got != inner {
			t.Errorf("%v", got)
		}
	}
	if urls.Bare(nil) != nil {
		t.Error("no error becomes one")
	}
}
