// Locks in etcd, to compare Baton's with: the lock recipe of its Go client (clientv3/concurrency).
//
//	etcd_locks [-clients C] [-seconds S] [-same-name] HOST:PORT
//
// Each client is a session of its own, with a lease that the library keeps alive. The rules of the
// measurement are those of lock_load.h: a pair counts when its unlock was confirmed in the measured
// time; latencies are those of acquires; two holders of one lock end the run with an error.
//
// -connections says over how many connections the clients are spread. Without it all share one, as in
// a program that has one clientv3.Client; this serves etcd better than a connection for each.
//
// It is built in GOPATH mode from Debian's packages (golang-etcd-server-dev), without a network.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sort"
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
	endpoint    string
	peer        string
	clients     int
	connections int
	seconds     float64
	warmup      float64
	sameName    bool
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
	flag.StringVar(&o.peer, "peer", "etcd", "the name to print")
	flag.Parse()
	if flag.NArg() != 1 || o.clients < 1 || o.connections < 1 || o.seconds <= 0 || o.warmup < 0 {
		flag.Usage()
		os.Exit(2)
	}
	if o.connections > o.clients {
		o.connections = o.clients
	}
	o.endpoint = flag.Arg(0)
	return o
}

func connect(o options) []*clientv3.Client {
	var clients []*clientv3.Client
	for i := 0; i < o.connections; i++ {
		client, err := clientv3.New(clientv3.Config{
			Endpoints:   []string{o.endpoint},
			DialTimeout: patience,
		})
		if err != nil {
			fail("%s: %v", o.endpoint, err)
		}
		clients = append(clients, client)
	}
	return clients
}

// A client of the load: a session and the lock that it wants.
type worker struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
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
		workers[i] = &worker{session: session, mutex: concurrency.NewMutex(session, name), inside: inside}
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
	watchdog := time.AfterFunc(patience, func() { fail("%s does not answer", o.endpoint) })
	workers := prepare(o, connect(o))
	begin := time.Now().Add(time.Duration(o.warmup * float64(time.Second)))
	end := begin.Add(time.Duration(o.seconds * float64(time.Second)))
	watchdog.Reset(time.Until(end) + patience)
	var group sync.WaitGroup
	for _, w := range workers {
		group.Add(1)
		go func(w *worker) {
			defer group.Done()
			w.run(begin, end)
		}(w)
	}
	group.Wait()
	for _, w := range workers {
		w.session.Close()
	}
	report(o, workers)
}
