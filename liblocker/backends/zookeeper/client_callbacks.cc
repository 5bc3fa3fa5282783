#include "backends/zookeeper/client_callbacks.h"

#include <memory>
#include <utility>

#include "backends/zookeeper/access_rights.h"
#include "backends/zookeeper/answer.h"
#include "backends/zookeeper/client_link.h"
#include "backends/zookeeper/client_socket.h"
#include "backends/zookeeper/mailbox.h"

namespace locker::backends::zookeeper {
namespace {

void post_answer(const void* data, Answer answer) {
  const std::shared_ptr<Mailbox> mailbox = Mailbox::of(data);
  if (mailbox == nullptr) return;
  mailbox->post([call = Mailbox::call_of(data), answer = std::move(answer)](
                    ClientLink& link) mutable { link.answered(call, std::move(answer)); });
}

Answer answer_of(int code, const ::Stat* stat) {
  Answer answer;
  answer.code = code;
  if (stat != nullptr) answer.stat = to_stat(*stat);
  return answer;
}

}  // namespace

void hear_session(zhandle_t* client, int type, int state, const char* /*path*/, void* context) {
  if (type != ZOO_SESSION_EVENT) return;
  if (state == ZOO_CONNECTED_STATE) keep_socket_from_children(client);
  const std::shared_ptr<Mailbox> mailbox = Mailbox::of(context);
  if (mailbox == nullptr) return;
  const SessionNews news{state, zoo_client_id(client)->client_id, zoo_recv_timeout(client)};
  mailbox->post([news](ClientLink& link) { link.hear(news); });
}

// A session's event comes to each watch as well; hear_session has it already.
void hear_watch(zhandle_t* /*client*/, int type, int /*state*/, const char* /*path*/,
                void* context) {
  if (type == ZOO_SESSION_EVENT) return;
  const std::shared_ptr<Mailbox> mailbox = Mailbox::of(context);
  if (mailbox == nullptr) return;
  mailbox->post([ticket = Mailbox::call_of(context)](ClientLink& link) { link.fired(ticket); });
}

void hear_identity(int code, const void* data) {
  const std::shared_ptr<Mailbox> mailbox = Mailbox::of(data);
  if (mailbox == nullptr) return;
  mailbox->post([code](ClientLink& link) { link.identified(code); });
}

void hear_done(int code, const void* data) {
  post_answer(data, answer_of(code, nullptr));
}

void hear_stat(int code, const ::Stat* stat, const void* data) {
  post_answer(data, answer_of(code, stat));
}

void hear_data(int code, const char* value, int size, const ::Stat* stat, const void* data) {
  Answer answer = answer_of(code, stat);
  // A node without data has the size -1.
  if (value != nullptr && size > 0) answer.text.assign(value, static_cast<std::size_t>(size));
  post_answer(data, std::move(answer));
}

void hear_names(int code, const ::String_vector* names, const void* data) {
  Answer answer = answer_of(code, nullptr);
  if (names != nullptr) answer.names.assign(names->data, names->data + names->count);
  post_answer(data, std::move(answer));
}

void hear_path(int code, const char* path, const void* data) {
  Answer answer = answer_of(code, nullptr);
  if (path != nullptr) answer.text = path;
  post_answer(data, std::move(answer));
}

void hear_created(int code, const char* path, const ::Stat* stat, const void* data) {
  Answer answer = answer_of(code, stat);
  if (path != nullptr) answer.text = path;
  post_answer(data, std::move(answer));
}

void hear_access(int code, ::ACL_vector* list, ::Stat* stat, const void* data) {
  Answer answer = answer_of(code, stat);
  if (list != nullptr) answer.text = to_text(*list);
  post_answer(data, std::move(answer));
}

Stat to_stat(const ::Stat& stat) {
  Stat result;
  result.czxid = stat.czxid;
  result.mzxid = stat.mzxid;
  result.created_ms = stat.ctime;
  result.modified_ms = stat.mtime;
  result.version = stat.version;
  result.children_version = stat.cversion;
  result.children = stat.numChildren;
  result.session = stat.ephemeralOwner;
  return result;
}

}  // namespace locker::backends::zookeeper
