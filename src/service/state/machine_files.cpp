#include "service/state/machine.h"

namespace baton::service {

void Machine::carry_out(const Asker& asker, const Put& put) {
  if (const auto refusal = refuse_name(put.key, "the key")) return answer(asker, *refusal);
  if (const auto refusal = refuse_value(put.value)) return answer(asker, *refusal);
  SessionId whose_session = no_session;
  if (put.tied) whose_session = put.tied_to == no_session ? asker.id : put.tied_to;
  const Session* whose = tables_.session(whose_session);
  if (put.tied && (whose == nullptr || whose->is_over()))
    return answer(asker, Error::not_found,
                  "session " + std::to_string(whose_session.value) + " is over, or has never been");
  const auto found = tables_.files.find(put.key);
  const bool is_new = found == tables_.files.end();
  const std::uint64_t version = is_new ? 0 : found->second.version;
  if (put.version && *put.version != version)
    return answer(
        asker, Error::conflict,
        quoted(put.key) + (is_new ? " does not exist" : " has version " + std::to_string(version)));
  const std::size_t before = is_new ? 0 : put.key.size() + found->second.value.size();
  const std::size_t bytes = tables_.file_bytes - before + put.key.size() + put.value.size();
  if (bytes > most_file_bytes)
    return answer(asker, Error::too_many, "all files together would be too large");
  tables_.file_bytes = bytes;
  File& file = is_new ? tables_.files[put.key] : found->second;
  tie(put.key, file.tied, whose_session);
  file.tied = whose_session;
  file.value = put.value;
  file.version = version + 1;
  file.revision = tell_all({.kind = Change::Kind::put,
                            .key = put.key,
                            .value = put.value,
                            .version = file.version,
                            .session = whose_session});
  answer(asker, Result{Stored{file.version, file.revision}});
}

void Machine::carry_out(const Asker& asker, const Remove& remove) {
  if (const auto refusal = refuse_name(remove.key, "the key")) return answer(asker, *refusal);
  const auto found = tables_.files.find(remove.key);
  if (found == tables_.files.end())
    return answer(asker, Error::not_found, "there is no file " + quoted(remove.key));
  const std::uint64_t version = found->second.version;
  if (remove.version && *remove.version != version)
    return answer(asker, Error::conflict,
                  quoted(remove.key) + " has version " + std::to_string(version));
  const Revision revision = remove_file(remove.key);
  answer(asker, Result{Stored{version, revision}});
}

void Machine::carry_out(const Asker& asker, const Proclaim& proclaim) {
  if (const auto refusal = refuse_name(proclaim.name)) return answer(asker, *refusal);
  if (const auto refusal = refuse_value(proclaim.value)) return answer(asker, *refusal);
  Lock* lock = tables_.lock(Namespace::election, proclaim.name);
  const Party party{asker.id, proclaim.owner};
  if (lock == nullptr || !lock->holds.contains(party))
    return answer(asker, Error::not_held, quoted(proclaim.name));
  Hold& hold = lock->holds.at(party);
  if (hold.is_over()) return answer(asker, Error::lock_lost, quoted(proclaim.name));
  hold.terms.value = proclaim.value;
  tell_leader(Change::Kind::proclaim, *lock, hold);
  answer(asker, Result{Stored{0, tables_.changes.last()}});
}

void Machine::tie(const std::string& key, SessionId from, SessionId to) {
  if (from == to) return;
  if (Session* session = tables_.session(from)) session->tied.erase(key);
  if (Session* session = tables_.session(to)) session->tied.insert(key);
}

Revision Machine::remove_file(const std::string& key) {
  const auto found = tables_.files.find(key);
  const File& file = found->second;
  const Revision revision = tell_all(
      {.kind = Change::Kind::remove, .key = key, .version = file.version, .session = file.tied});
  tables_.file_bytes -= key.size() + file.value.size();
  tie(key, file.tied, no_session);
  tables_.files.erase(found);
  return revision;
}

Revision Machine::tell_all(Change change) {
  const Change& told = tables_.changes.add(std::move(change));
  effects_->push_back(told);
  return told.revision;
}

void Machine::tell_leader(Change::Kind kind, const Lock& lock, const Hold& hold) {
  const auto other = tables_.elsewhere.find(lock.name);
  const bool is_other = other != tables_.elsewhere.end();
  if (is_other && kind == Change::Kind::elect) {
    tell_elsewhere(Change::Kind::resign, other->first, other->second);
    tables_.elsewhere.erase(other);
  }
  tell_all({.kind = kind,
            .key = std::string(lock.name),
            .value = kind == Change::Kind::resign ? std::string() : hold.terms.value,
            .session = hold.party.session,
            .fence = hold.fence});
  if (is_other && kind == Change::Kind::resign)
    tell_elsewhere(Change::Kind::elect, other->first, other->second);
}

}  // namespace baton::service
