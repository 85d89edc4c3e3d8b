// Package machine holds what operating systems do each in their own way: locks on files, who
// may read them, free space, the limits and the children of a process. It does not know
// terminals: their modes are the terminal's.
package machine

import "errors"

// ErrHeld is a file that another process has locked.
var ErrHeld = errors.New("locked by another process")
