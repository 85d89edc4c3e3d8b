package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	_ "time/tzdata" // the names of time zones, for machines and images without them
)

// version, commit and date (of the commit, as YYYY-MM-DD) are set by the linker
// for releases; "" otherwise.
var version, commit, date string

// build is what this program was made from.
type build struct{ version, commit, date string }

// built returns what the linker said and else what Go noted; the version is "dev"
// when neither knows one.
func built(info *debug.BuildInfo) build {
	b := build{version, commit, date}
	if info == nil || b.version != "" {
		return b.named()
	}
	if v := info.Main.Version; v != "(devel)" {
		b.version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.date, _, _ = strings.Cut(s.Value, "T")
		}
	}
	return b.named()
}

// named returns b with a version, and with a commit as short as people write it.
func (b build) named() build {
	if b.version == "" {
		b.version = "dev"
	}
	b.commit = b.commit[:min(len(b.commit), 12)]
	return b
}

// thisBuild is the program that runs.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return built(info)
}

// String is the line that --version prints.
func (b build) String() string {
	parts := []string{}
	for _, p := range []string{b.commit, b.date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return fmt.Sprintf("parley %s (%s)", b.version, strings.Join(parts, ", "))
}
