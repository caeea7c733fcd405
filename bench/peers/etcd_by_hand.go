// A lock in etcd that takes one transaction to acquire, written as its best user would.
//
// Every client that wants a lock puts a key below the lock's prefix, with its session's lease; the
// client whose key was created first holds the lock. The transaction puts the own key in any case. If
// there was no other key (the create revision of every key below the prefix is 0) the client holds the
// lock; otherwise the answer lists the keys that were there before. A client that has to wait strikes
// keys off this list as a watch on the prefix reports that they are deleted. When none is left it holds
// the lock, without another request. Unlock: the client deletes its key.
//
// A client opens the watch when it has to wait for the first time, and keeps it. etcd tells a new watch
// only every 100 ms what it has just missed, and with other writers around a new watch has nearly
// always missed something. The library's Mutex (clientv3/concurrency) opens a watch for every wait, on
// the key before its own, and therefore waits 100 ms. The price of the lasting watch: etcd tells of a
// release all clients that wait, and not one. That costs an event for each, and no transaction.
package main

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
	"go.etcd.io/etcd/mvcc/mvccpb"
)

type queueLock struct {
	session  *concurrency.Session
	client   *clientv3.Client
	prefix   string
	key      string
	releases clientv3.WatchChan // nil until it is needed
}

func newQueueLock(session *concurrency.Session, prefix string) *queueLock {
	key := fmt.Sprintf("%s%x", prefix, session.Lease())
	return &queueLock{session: session, client: session.Client(), prefix: prefix, key: key}
}

func (l *queueLock) Lock(ctx context.Context) error {
	free := clientv3.Compare(clientv3.CreateRevision(l.prefix).WithPrefix(), "=", 0)
	put := clientv3.OpPut(l.key, "", clientv3.WithLease(l.session.Lease()))
	list := clientv3.OpGet(l.prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	answer, err := l.client.Txn(ctx).If(free).Then(put).Else(list, put).Commit()
	if err != nil || answer.Succeeded {
		return err
	}
	mine := answer.Header.Revision
	if l.releases != nil {
		return l.waitForAll(answer.Responses[0].GetResponseRange().Kvs, mine)
	}
	// The list is from before the watch, which does not tell what was deleted in between.
	if err := l.watch(ctx); err != nil {
		return err
	}
	later, err := l.client.Get(ctx, l.prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly(),
		clientv3.WithMaxCreateRev(mine-1))
	if err != nil {
		return err
	}
	return l.waitForAll(later.Kvs, later.Header.Revision)
}

func (l *queueLock) Unlock(ctx context.Context) error {
	_, err := l.client.Delete(ctx, l.key)
	return err
}

// Waits until all these are deleted, which were there at that revision.
func (l *queueLock) waitForAll(keys []*mvccpb.KeyValue, revision int64) error {
	ahead := make(map[string]bool, len(keys))
	for _, one := range keys {
		ahead[string(one.Key)] = true
	}
	for len(ahead) > 0 {
		answer, err := l.next()
		if err != nil {
			return err
		}
		for _, event := range answer.Events {
			if event.Kv.ModRevision > revision {
				delete(ahead, string(event.Kv.Key))
			}
		}
	}
	return nil
}

func (l *queueLock) watch(ctx context.Context) error {
	l.releases = l.client.Watch(ctx, l.prefix, clientv3.WithPrefix(), clientv3.WithFilterPut(),
		clientv3.WithCreatedNotify())
	_, err := l.next()
	return err
}

func (l *queueLock) next() (clientv3.WatchResponse, error) {
	select {
	case answer, open := <-l.releases:
		if !open {
			return answer, errors.New("the watch has ended")
		}
		return answer, answer.Err()
	case <-l.session.Done():
		return clientv3.WatchResponse{}, errors.New("the session is over")
	}
}
