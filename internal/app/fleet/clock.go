package fleet

import "time"

// Skew is what has to be added to the time of this machine for the one that all processes
// go by; see node.Skew. A process that is alone goes by its own.
func (f *Fleet) Skew() time.Duration {
	if f == nil {
		return 0
	}
	return f.Node.Skew()
}

// Clock is now by the time that all processes go by.
func (f *Fleet) Clock(now func() time.Time) time.Time {
	if skew := f.Skew(); skew != 0 {
		return now().Round(0).Add(skew) // what it is compared with may be from before a clock was set
	}
	return now()
}
