package command

// How times are written, as layouts of package time.
const (
	layoutDay    = "2 January"
	layoutMoment = "2 January 2006 15:04"
)
