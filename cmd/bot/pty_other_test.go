//go:build !linux

package main

import (
	"errors"
	"os"
)

func ptsName(*os.File) (string, error) { return "", errors.New("only on Linux") }
