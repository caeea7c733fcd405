// Locks in etcd, to compare Baton's with: the lock recipe of its Go client (clientv3/concurrency), and
// one written by hand.
//
//	etcd_locks [-by-hand] [-clients C] [-seconds S] [-same-name] HOST:PORT,...
//	etcd_locks -transactions BYTES [-clients C] [-seconds S] HOST:PORT,...
//
// Each client is a session of its own, with a lease that the library keeps alive. The rules of the
// measurement are those of lock_load.h: a pair counts when its unlock was confirmed in the measured
// time; latencies are those of acquires; two holders of one lock end the run with an error.
//
// -by-hand acquires with one transaction and waits without the library's delay: etcd_by_hand.go.
//
// Of several members the library uses all, one request after the other. The leader alone serves faster,
// and run_cluster names only that one.
//
// -transactions measures no locks but the floor below them: each client puts a value of so many bytes
// under a new key, if that key is not there yet, one transaction after the other. They count as pairs.
//
// -connections says over how many connections the clients are spread. Without it all share one, as in
// a program that has one clientv3.Client; this serves etcd better than a connection for each.
//
// What etcd could do better than this shows: its client speaks HTTP/2 by gRPC in Go, and takes nearly
// half as much processor time as the server, which here has to share two cores with it. A client on
// bare HTTP/2 frames would leave it more.
//
// It is built in GOPATH mode from Debian's packages (golang-etcd-server-dev), without a network.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
)

const (
	patience     = 20 * time.Second
	leaseSeconds = 60
	warmupStay   = 200 * time.Microsecond
)

type options struct {
	endpoints   []string
	peer        string
	clients     int
	connections int
	seconds     float64
	warmup      float64
	sameName    bool
	byHand      bool
	bytes       int // of a transaction; 0: locks
}

func fail(format string, arguments ...interface{}) {
	fmt.Fprintf(os.Stderr, "etcd_locks: "+format+"\n", arguments...)
	os.Exit(1)
}

func parse() options {
	var o options
	flag.IntVar(&o.clients, "clients", 1, "how many clients")
	flag.IntVar(&o.connections, "connections", 1, "over how many connections the clients are spread")
	flag.Float64Var(&o.seconds, "seconds", 3, "how long to measure")
	flag.Float64Var(&o.warmup, "warmup", 1, "seconds before that, which do not count")
	flag.BoolVar(&o.sameName, "same-name", false, "all clients want the same lock")
	flag.BoolVar(&o.byHand, "by-hand", false, "the lock written by hand, not the library's")
	flag.IntVar(&o.bytes, "transactions", 0, "measure bare transactions of so many bytes")
	flag.StringVar(&o.peer, "peer", "etcd", "the name to print")
	flag.Parse()
	if flag.NArg() != 1 || o.clients < 1 || o.connections < 1 || o.seconds <= 0 || o.warmup < 0 ||
		o.bytes < 0 {
		flag.Usage()
		os.Exit(2)
	}
	if o.connections > o.clients {
		o.connections = o.clients
	}
	o.endpoints = strings.Split(flag.Arg(0), ",")
	return o
}

func connect(o options) []*clientv3.Client {
	var clients []*clientv3.Client
	for i := 0; i < o.connections; i++ {
		client, err := clientv3.New(clientv3.Config{
			Endpoints:   o.endpoints,
			DialTimeout: patience,
		})
		if err != nil {
			fail("%v: %v", o.endpoints, err)
		}
		clients = append(clients, client)
	}
	return clients
}

type locker interface {
	Lock(context.Context) error
	Unlock(context.Context) error
}

// A client of the load: a session and the lock that it wants.
type worker struct {
	session *concurrency.Session
	mutex   locker
	inside  *int32
	figures []time.Duration
}

func prepare(o options, connections []*clientv3.Client) []*worker {
	shared := new(int32)
	workers := make([]*worker, o.clients)
	for i := range workers {
		session, err := concurrency.NewSession(connections[i%len(connections)],
			concurrency.WithTTL(leaseSeconds))
		if err != nil {
			fail("session: %v", err)
		}
		name, inside := fmt.Sprintf("/bench-%d/", i), new(int32)
		if o.sameName {
			name, inside = "/bench-shared/", shared
		}
		var mutex locker = concurrency.NewMutex(session, name)
		if o.byHand {
			mutex = newQueueLock(session, name)
		}
		workers[i] = &worker{session: session, mutex: mutex, inside: inside}
	}
	return workers
}

func (w *worker) run(begin, end time.Time) {
	ctx := context.Background()
	for asked := time.Now(); asked.Before(end); {
		if err := w.mutex.Lock(ctx); err != nil {
			fail("lock: %v", err)
		}
		latency := time.Since(asked)
		if !atomic.CompareAndSwapInt32(w.inside, 0, 1) {
			fail("two clients hold the same lock")
		}
		if time.Now().Before(begin) {
			time.Sleep(warmupStay)
		}
		atomic.StoreInt32(w.inside, 0)
		if err := w.mutex.Unlock(ctx); err != nil {
			fail("unlock: %v", err)
		}
		now := time.Now()
		if !now.Before(begin) && now.Before(end) {
			w.figures = append(w.figures, latency)
		}
		asked = now
	}
}

// Transactions instead of locks. Every process has keys of its own, every client below them.
func (w *worker) transact(client *clientv3.Client, prefix string, bytes int, begin, end time.Time) {
	ctx := context.Background()
	value := strings.Repeat("b", bytes)
	asked := time.Now()
	for i := 0; asked.Before(end); i++ {
		key := fmt.Sprintf("%s%016x", prefix, i)
		answer, err := client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, value)).Commit()
		if err != nil {
			fail("transaction: %v", err)
		}
		if !answer.Succeeded {
			fail("transaction: %s is there already", key)
		}
		now := time.Now()
		if !now.Before(begin) && now.Before(end) {
			w.figures = append(w.figures, now.Sub(asked))
		}
		asked = now
	}
}

func report(o options, workers []*worker) {
	var all []time.Duration
	for _, w := range workers {
		all = append(all, w.figures...)
	}
	if len(all) == 0 {
		fail("nothing was finished in time")
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	quantile := func(share float64) float64 {
		return float64(all[int(share*float64(len(all)-1))].Nanoseconds()) / 1000
	}
	fmt.Printf("{\"peer\":%q,\"pairs_per_s\":%.1f,\"p50_us\":%.2f,\"p99_us\":%.2f}\n",
		o.peer, float64(len(all))/o.seconds, quantile(0.50), quantile(0.99))
}

func main() {
	o := parse()
	// The library's calls wait for ever.
	watchdog := time.AfterFunc(patience, func() { fail("%v does not answer", o.endpoints) })
	connections := connect(o)
	var workers []*worker
	if o.bytes == 0 {
		workers = prepare(o, connections)
	} else {
		for i := 0; i < o.clients; i++ {
			workers = append(workers, &worker{})
		}
	}
	begin := time.Now().Add(time.Duration(o.warmup * float64(time.Second)))
	end := begin.Add(time.Duration(o.seconds * float64(time.Second)))
	watchdog.Reset(time.Until(end) + patience)
	var group sync.WaitGroup
	for i, w := range workers {
		group.Add(1)
		go func(i int, w *worker) {
			defer group.Done()
			if o.bytes == 0 {
				w.run(begin, end)
				return
			}
			prefix := fmt.Sprintf("transactions/%016x/%d/", begin.UnixNano(), i)
			w.transact(connections[i%len(connections)], prefix, o.bytes, begin, end)
		}(i, w)
	}
	group.Wait()
	for _, w := range workers {
		if w.session != nil {
			w.session.Close()
		}
	}
	report(o, workers)
}
