package fleet

import "time"

// Skew returns the difference between the clock shared by all processes and this
// machine's; see node.Skew. It is 0 for a process that is alone.
func (f *Fleet) Skew() time.Duration {
	if f == nil {
		return 0
	}
	return f.Node.Skew()
}

// Clock returns now by the shared clock.
func (f *Fleet) Clock(now func() time.Time) time.Time {
	if skew := f.Skew(); skew != 0 {
		return now().Round(0).Add(skew) // drop the monotonic clock: it may be compared with a time from before an adjustment
	}
	return now()
}
