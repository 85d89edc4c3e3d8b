package engine

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// promise is the number of a new row, which is known once the transaction has ended.
type promise struct {
	res sql.Result
	id  *int64 // where it goes
	by  *write // whose it is; nil where nobody's
}

// said reports whether a transaction failed for a reason that may belong to a statement
// further up.
func (tx *Tx) said(err error) bool { return tx.dialect.Said(err) }

// late reports whether statements may wait for a later one.
func (tx *Tx) late() bool {
	return tx.dialect.Step != "" && tx.begun != "" && tx.begun != tx.dialect.Step
}

// keep fills in the numbers of new rows, once the transaction has ended. Where the end was
// lost with the connection, and turned out to be good, some may not be known: whose they
// are is told that the connection was lost, and finds what there is.
func (tx *Tx) keep() {
	for _, p := range tx.open {
		id, err := p.res.LastInsertId()
		if err != nil && p.by != nil {
			p.by.unknown = errors.Join(ErrLost, err)
			continue
		}
		*p.id = id
	}
	tx.open = tx.open[:0]
}

// Touched reports whether a statement of the transaction changes one of some tables.
func (tx *Tx) Touched(tables ...string) bool {
	return slices.ContainsFunc(tables, func(t string) bool { return slices.Contains(tx.touched, tx.changes.of(t)) })
}

// Raw runs work with the driver's connection, during which the transaction is not used.
func (tx *Tx) Raw(work func(driver any) error) error { return tx.dialect.Explain(tx.conn.Raw(work)) }

// Require fails with otherwise unless a query has a row. On a server that may be noticed
// only later in the transaction, which then is undone.
func (tx *Tx) Require(otherwise error, query string, args ...any) error {
	if tx.late() {
		_, err := tx.Exec(tx.dialect.Require(query), args...)
		return err
	}
	var one int
	return NoRow(tx.QueryRow(query, args...).Scan(&one), otherwise)
}

// Changes runs a statement that nearly always changes one row, and reports whether it
// did. On a server that is taken for granted at first: where it did not, the transaction
// is undone, and done again.
func (tx *Tx) Changes(query string, args ...any) (bool, error) {
	if tx.late() {
		_, err := tx.Exec(tx.dialect.Change(query), args...)
		return err == nil, err
	}
	res, err := tx.Exec(query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// InsertTo is Insert for a number that nobody needs before the transaction has ended: id
// is set by then. Where the server's last answer is lost the write may fail with ErrLost
// although it was committed: whoever tries again looks what there is.
func (tx *Tx) InsertTo(id *int64, query string, args ...any) (err error) {
	if !tx.late() {
		*id, err = tx.Insert(query, args...)
		return err
	}
	res, err := tx.Exec(query+" RETURNING id", args...)
	if err == nil {
		tx.open = append(tx.open, promise{res: res, id: id, by: tx.by})
	}
	return err
}

// Inserting is Insert for a number that is asked for later in the transaction: on a server
// the statement goes there with the first answer that is needed. id may be called twice.
func (tx *Tx) Inserting(query string, args ...any) (id func() (int64, error), err error) {
	if !tx.late() {
		n, err := tx.Insert(query, args...)
		return func() (int64, error) { return n, nil }, err
	}
	res, err := tx.Exec(query+" RETURNING id", args...)
	if err != nil {
		return nil, err
	}
	return func() (int64, error) {
		n, err := res.LastInsertId()
		return n, tx.dialect.Explain(err)
	}, nil
}

// Unhurried, as a value of a context, says that the answer to a query is needed later.
type Unhurried struct{}

var unhurried = context.WithValue(context.Background(), Unhurried{}, true)

// Answer is the first row of a result that may be still to come. It is of no use after
// its transaction.
type Answer struct {
	rows    *sql.Rows
	explain func(error) error
	err     error
}

// Ask is QueryRow for an answer that is read later in the transaction: on a server what
// is asked until then goes there together.
func (tx *Tx) Ask(query string, args ...any) *Answer {
	rows, err := tx.rows(unhurried, query, args)
	if err == nil {
		tx.asked = append(tx.asked, rows)
	}
	return &Answer{rows: rows, explain: tx.dialect.Explain, err: err}
}

// Scan reads the row's columns, once; ErrNotFound when there is none.
func (a *Answer) Scan(dest ...any) error {
	if a.err != nil {
		return a.err
	}
	defer func() { _ = a.rows.Close() }()
	if !a.rows.Next() {
		if err := a.rows.Err(); err != nil {
			return a.explain(err)
		}
		return ErrNotFound
	}
	return a.rows.Scan(dest...)
}

// unasked lets go of answers that nobody has read.
func (tx *Tx) unasked() {
	for _, rows := range tx.asked {
		_ = rows.Close()
	}
	clear(tx.asked)
	tx.asked = tx.asked[:0]
}
