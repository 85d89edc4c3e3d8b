package times

import (
	"os"
	"strings"
	"time"
)

// MachineZone returns the name of this machine's time zone, "" when it has none but
// UTC or none that can be told.
func MachineZone() string {
	name, set := os.LookupEnv("TZ")
	if !set {
		link, err := os.Readlink("/etc/localtime")
		if err != nil {
			return ""
		}
		_, name, _ = strings.Cut(link, "/zoneinfo/")
	}
	name = strings.TrimPrefix(name, ":")
	if loc, err := time.LoadLocation(name); err != nil || loc == time.UTC || strings.HasSuffix(name, "UTC") {
		return ""
	}
	return name
}
