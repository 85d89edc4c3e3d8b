package code

import (
	"path"
	"strings"
	"testing"
)

// modifiersOf are modifiers of methods by the ending of a file, and the bare method.
var modifiersOf = map[string]string{
	".ts": "|static|async|public|private|protected|readonly|override|abstract|declare|accessor|get|set|static async|" +
		"private static|protected override async|public static get|async *|static async *|static #",
	".js": "|static|async|get|set|*|static async|static get|async *|static async *|#|static #",
	".java": "|public|protected|private|static|final|abstract|synchronized|native|default|strictfp|" +
		"public static final synchronized|@Override public|@SuppressWarnings(\"x\") private static",
	".cs": "|public|internal|private protected|protected internal|static|virtual|override|sealed override|abstract|async|" +
		"extern|unsafe|new|partial|public static async|readonly",
	".kt": "|public|internal|private|protected|open|override|final|abstract|suspend|inline|operator|infix|tailrec|external|" +
		"private suspend|override suspend|@JvmStatic|@Deprecated(\"x\") private",
	".swift": "|public|open|internal|fileprivate|private|static|class|final|override|mutating|nonmutating|@objc|" +
		"@discardableResult|public static|private(set)|nonisolated|override public|required|convenience",
	".scala": "|override|private|protected|final|implicit|inline|private[pkg]|@tailrec final",
	".php":   "|public|private|protected|static|final|abstract|public static|final protected|abstract public static",
	".rs":    "|pub|pub(crate)|pub(in a::b)|async|unsafe|const|extern \"C\"|pub async unsafe|pub const|default|#[inline] pub",
	".cpp": "|static|virtual|inline|explicit|constexpr|consteval|friend|static inline|virtual constexpr|[[nodiscard]]|" +
		"[[nodiscard]] static|template <class T> static|extern",
	".c":    "|static|inline|static inline|extern|static const|_Noreturn|__attribute__((unused)) static|const",
	".py":   "|async|@staticmethod\n   |@property\n    async",
	".dart": "|static|external|@override|static final|late|@pragma('vm:entry-point')",
}

// Every modifier leaves a method its definition.
func TestMethodsWithModifiers(t *testing.T) {
	for _, c := range []struct{ name, before, after, method string }{
		{"a.ts", "class A {\n", "\n}\n", "found(x: number): void { if (x) { y() } }"},
		{"a.js", "class A {\n", "\n}\n", "found(x) { return x }"},
		{"A.java", "class A {\n", "\n}\n", "int found(int x) { return x; }"},
		{"a.cs", "class A {\n", "\n}\n", "int Found(int x) { return x; }"},
		{"a.kt", "class A {\n", "\n}\n", "fun found(x: Int): Int { return x }"},
		{"a.swift", "class A {\n", "\n}\n", "func found(x: Int) -> Int { return x }"},
		{"a.scala", "class A {\n", "\n}\n", "def found(x: Int): Int = { x }"},
		{"a.php", "<?php\nclass A {\n", "\n}\n", "function found($x) { return $x; }"},
		{"a.rs", "impl A {\n", "\n}\n", "fn found(x: u8) -> u8 { x }"},
		{"a.cpp", "class A {\n", "\n};\n", "int found(int x) { return x; }"},
		{"a.c", "", "\n", "int found(int x) { return x; }"},
		{"a.py", "class A:\n    ", "\n", "def found(x):\n        return x"},
		{"a.dart", "class A extends B {\n  final int n;\n", "\n  A(this.n);\n}\n", "int found(int x) async { return x; }"},
		{"mixin.dart", "mixin M on A {\n", "\n}\n", "int found(int x) { return x; }"},
		{"top.dart", "import 'dart:io';\n", "\n", "int found(int x) => x;"},
	} {
		for mod := range strings.SplitSeq(modifiersOf[path.Ext(c.name)], "|") {
			line := mod + " " + c.method
			if strings.HasSuffix(mod, "#") {
				line = mod + c.method
			}
			found := false
			for _, s := range List(c.name, c.before+line+c.after) {
				found = found || strings.EqualFold(s.Name, "found") && !s.Minor
			}
			if !found {
				t.Errorf("%s: no definition of %q", c.name, line)
			}
		}
	}
}
