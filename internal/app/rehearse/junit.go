package rehearse

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
)

// junitSuite is the outcome in the JUnit format.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"` // seconds
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the outcomes as JUnit XML.
func WriteJUnit(file string, all []Outcome) error {
	suite := junitSuite{Name: "rehearse", Tests: len(all)}
	for _, g := range all {
		c := junitCase{Class: "rehearse", Name: g.script.path, Time: fmt.Sprintf("%.3f", g.took.Seconds())}
		switch {
		case g.err != nil:
			suite.Errors++
			c.Error = &junitProblem{"the script makes no sense", g.err.Error()}
		case g.difference != "":
			suite.Failures++
			first, _, _ := strings.Cut(g.difference, "\n")
			c.Failure = &junitProblem{first, g.difference}
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	if err := os.WriteFile(file, append([]byte(xml.Header), append(text, '\n')...), 0o644); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}
