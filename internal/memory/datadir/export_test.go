package datadir

import "parley/internal/db/engine"

// What tests of this package look at from outside: they drive the store of the
// whole bot, which imports this package.
const ApplicationID = applicationID

// DB returns the way to the rows of the file.
func (f *File) DB() *engine.DB { return f.db }
