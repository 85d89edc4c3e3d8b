package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Querier is a DB, or a transaction on one.
type Querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
}

// Scanner is a row to be read: one of many, or the only one.
type Scanner interface{ Scan(dest ...any) error }

// Select reads all rows of a query. Only constant queries: the statement is kept.
func Select[T any](q Querier, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.Query(query, args...)
	if err != nil {
		return nil, err
	}
	return Collect(rows, scan)
}

// Pairs reads a query of two columns as a map from the first to the second.
func Pairs[K comparable, V any](q Querier, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	_, err := Select(q, func(r Scanner) (v V, err error) {
		var k K
		if err = r.Scan(&k, &v); err == nil {
			all[k] = v
		}
		return v, err
	}, query, args...)
	return all, err
}

// Value scans a row of one column.
func Value[T any](r Scanner) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// Collect reads rows to their end and closes them.
func Collect[T any](rows *sql.Rows, scan func(Scanner) (T, error)) (all []T, err error) {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		x, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, rows.Err()
}

// Found takes "no row" out of an error: ok is false then, and the value zero.
func Found[T any](v T, err error) (found T, ok bool, _ error) {
	if errors.Is(err, ErrNotFound) {
		return found, false, nil
	}
	return v, err == nil, err
}

// Word reads one text, "" when there is no row. op names it in an error.
func (d *DB) Word(op, query string, args ...any) (string, error) {
	w, _, err := Found(Value[string](d.QueryRow(query, args...)))
	return w, During(op, err)
}

// Exec writes one statement, as Write does.
func (d *DB) Exec(ctx context.Context, query string, args ...any) error {
	_, err := d.Count(ctx, query, args...)
	return err
}

// Count is Exec, and returns how many rows were changed; 0 with an error.
func (d *DB) Count(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = d.Write(ctx, func(tx *Tx) error {
		n = 0
		return tx.Count(&n, query, args...)
	})
	if err != nil {
		n = 0
	}
	return n, err
}

// ExecAll runs statements one after the other, with the same parameters.
func (tx *Tx) ExecAll(args Named, queries ...string) error {
	for _, q := range queries {
		if _, err := tx.Exec(q, args); err != nil {
			return fmt.Errorf("%.40s: %w", q, err)
		}
	}
	return nil
}

// into is where a column is scanned to by a function of what it holds.
type into[T any] func(T) error

// Scan implements sql.Scanner.
func (f into[T]) Scan(stored any) error {
	v, ok := stored.(T)
	if !ok {
		return fmt.Errorf("%T is no %T", stored, v)
	}
	return f(v)
}

// Stamped is where a stamp is scanned to as a time; see ParseStamp.
func Stamped(t *time.Time) sql.Scanner {
	return into[string](func(s string) error { *t = ParseStamp(s); return nil })
}

// Millis is where milliseconds are scanned to as a duration.
func Millis(d *time.Duration) sql.Scanner {
	return into[int64](func(n int64) error { *d = time.Duration(n) * time.Millisecond; return nil })
}

// JSON is where a text is scanned to as what it says; "" says nothing and leaves v as it is.
func JSON(v any) sql.Scanner {
	return into[string](func(s string) error {
		if s == "" {
			return nil
		}
		return json.Unmarshal([]byte(s), v)
	})
}
