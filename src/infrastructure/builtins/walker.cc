#include "infrastructure/builtins/walker.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "infrastructure/builtins/open_beneath.h"
#include "infrastructure/process/fd.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kEntryBuffer = 64 * 1024;    // bytes of one getdents64
constexpr std::size_t kMaxUnreadableNames = 1000;  // kept to sort; a few are shown
constexpr std::size_t kFoldersPerThread = 4;       // waiting folders that are worth another thread

struct QueuedFolder {
  std::string path;  // relative to the start
  Fd fd;             // invalid: open it by its path
  std::shared_ptr<const IgnoreChain> rules;
  bool named = false;
  bool no_rules = false;  // ignored, but named: no rule holds below
};

struct Entry {
  std::size_t name = 0;  // offset in the names
  std::uint32_t length = 0;
  unsigned char type = DT_UNKNOWN;
};

// Buffers of one thread.
struct Scratch {
  std::unique_ptr<char[]> entries_buffer{new char[kEntryBuffer]};
  std::string names;
  std::vector<Entry> entries;
  std::string path;  // absolute, of the entry at hand
  std::vector<WalkedFile> files;
  std::vector<QueuedFolder> folders;
  WalkReport report;
};

class TreeWalk {
 public:
  TreeWalk(int start, const std::string& real, const WalkOptions& options, WalkVisitor& visitor)
      : start_(start), base_(real == "/" ? real : real + "/"), options_(options), visitor_(visitor) {}

  WalkReport Run() {
    QueuedFolder first;
    // The caller's descriptor shares its position with the copy; a folder is read from its beginning.
    first.fd = Fd(::fcntl(start_, F_DUPFD_CLOEXEC, 3));
    if (first.fd) ::lseek(first.fd.get(), 0, SEEK_SET);
    if (options_.ignore_rules) {
      RulesAbove above = ReadRulesAbove(base_.size() > 1 ? base_.substr(0, base_.size() - 1) : base_,
                                        options_.workspace, options_.may_read);
      first.rules = std::move(above.chain);
      first.named = above.below_top;
      first.no_rules = above.ignored;
    }
    queue_.push_back(std::move(first));
    Work();
    helpers_.clear();  // joins
    std::ranges::sort(report_.unreadable_names);
    report_.incomplete = stop_;
    return std::move(report_);
  }

 private:
  void Work() {
    Scratch scratch;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !queue_.empty() || busy_ == 0; });
      if (stop_ || queue_.empty()) break;
      QueuedFolder folder = std::move(queue_.back());
      queue_.pop_back();
      ++busy_;
      lock.unlock();
      if (folder.fd) descriptors_.fetch_sub(1, std::memory_order_relaxed);
      const bool go_on = TryVisit(std::move(folder), scratch);
      lock.lock();
      --busy_;
      for (QueuedFolder& child : scratch.folders) queue_.push_back(std::move(child));
      scratch.folders.clear();
      if (!go_on) stop_ = true;
      StartHelper();
      if (stop_ || busy_ == 0 || !queue_.empty()) changed_.notify_all();
    }
    Merge(scratch.report);
  }

  // Small trees are not worth a thread. Called with the lock held.
  void StartHelper() {
    if (stop_ || helper_failed_ || static_cast<int>(helpers_.size()) + 1 >= SearchThreads() ||
        queue_.size() < kFoldersPerThread * (helpers_.size() + 1)) {
      return;
    }
    try {
      helpers_.emplace_back([this] { Help(); });
    } catch (const std::system_error&) {
      helper_failed_ = true;  // the limit of processes is reached: fewer do it too
    }
  }

  void Help() {
    try {
      Work();
    } catch (const std::bad_alloc&) {  // no memory for the buffers: the other threads do it
    }
  }

  // Out of memory ends the walk early; it must not end the process.
  bool TryVisit(QueuedFolder folder, Scratch& scratch) {
    try {
      return Visit(std::move(folder), scratch);
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void Merge(const WalkReport& part) {
    report_.ignored += part.ignored;
    for (std::size_t i = 0; i < part.ignored_by.size(); ++i) report_.ignored_by[i] |= part.ignored_by[i];
    report_.unreadable += part.unreadable;
    report_.unreadable_names.insert(report_.unreadable_names.end(), part.unreadable_names.begin(),
                                    part.unreadable_names.end());
  }

  bool Visit(QueuedFolder folder, Scratch& scratch) {
    if (options_.cancelled.stop_requested() || Passed(options_.deadline)) return false;
    if (!folder.fd) folder.fd = OpenBeneath(start_, folder.path.c_str(), O_RDONLY | O_DIRECTORY);
    if (!folder.fd) {
      Unreadable(folder.path, errno, scratch);
      return true;
    }
    IgnoreFilesFound found;
    if (!ReadEntries(folder.fd.get(), scratch, found)) Unreadable(folder.path, errno, scratch);
    if (options_.ignore_rules && !folder.no_rules && found.any()) ReadRules(folder, found);

    scratch.path = base_ + folder.path;
    if (!folder.path.empty()) scratch.path += '/';
    const std::size_t stem = scratch.path.size();
    scratch.files.clear();
    for (const Entry& entry : scratch.entries) {
      const std::string_view name(scratch.names.data() + entry.name, entry.length);
      scratch.path.resize(stem);
      scratch.path += name;
      Consider(folder, name, entry.type, scratch);
    }
    return scratch.files.empty() || visitor_.Found({folder.path, folder.fd.get(), scratch.files});
  }

  // Rules stand in files of the folder, so all entries are read before any is judged.
  static bool ReadEntries(int fd, Scratch& scratch, IgnoreFilesFound& found) {
    scratch.names.clear();
    scratch.entries.clear();
    char* buffer = scratch.entries_buffer.get();
    for (;;) {
      const ssize_t got = ::getdents64(fd, buffer, kEntryBuffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return got == 0;
      for (ssize_t at = 0; at < got;) {
        const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
        at += entry->d_reclen;
        const std::size_t length = std::strlen(entry->d_name);
        const std::string_view name(entry->d_name, length);
        if (name == "." || name == "..") continue;
        if (name[0] == '.') found.Note(name);
        scratch.entries.push_back({scratch.names.size(), static_cast<std::uint32_t>(length), entry->d_type});
        scratch.names.append(name);
      }
    }
  }

  void ReadRules(QueuedFolder& folder, const IgnoreFilesFound& found) const {
    if (found.git && !folder.path.empty()) folder.rules = nullptr;  // a repository of its own
    const std::string real = base_ + folder.path;
    IgnoreRules rules = ReadIgnoreRules(folder.fd.get(), real, found, options_.may_read);
    if (rules.empty()) return;
    if (folder.named && rules.ignores_all()) {  // a folder of generated files that hides itself, and was asked for
      folder.no_rules = true;
      return;
    }
    const std::size_t base = real.size() + (folder.path.empty() ? 0 : 1);
    folder.rules = std::make_shared<IgnoreChain>(IgnoreChain{folder.rules, base, std::move(rules)});
  }

  void Consider(const QueuedFolder& folder, std::string_view name, unsigned char type, Scratch& scratch) {
    if (name == ".git") return;
    if (type == DT_UNKNOWN) type = TypeOf(folder.fd.get(), scratch.path.c_str() + scratch.path.size() - name.size());
    const std::string_view path = std::string_view(scratch.path).substr(base_.size());
    if (type == DT_DIR) {
      ConsiderFolder(folder, name, path, scratch);
    } else if (type == DT_REG || (type == DT_LNK && options_.links)) {
      const WalkInterest interest = visitor_.File(path);
      if (interest == WalkInterest::kNone) return;
      if (interest != WalkInterest::kNamed && Ignored(folder, name, false, scratch)) return;
      scratch.files.push_back({name, type == DT_LNK});
    }
  }

  void ConsiderFolder(const QueuedFolder& parent, std::string_view name, std::string_view path, Scratch& scratch) {
    const WalkInterest interest = visitor_.Folder(path);
    if (interest == WalkInterest::kNone) return;
    if (scratch.path == "/proc" || scratch.path == "/sys" || scratch.path == "/dev") return;
    if (options_.may_read && !options_.may_read(scratch.path)) return;
    QueuedFolder child;
    child.named = interest == WalkInterest::kNamed;
    child.no_rules = parent.no_rules;
    if (child.named) {
      child.no_rules = child.no_rules || JudgeEntry(parent, name, true, scratch).verdict == IgnoreVerdict::kIgnore;
    } else if (Ignored(parent, name, true, scratch)) {
      return;
    }
    child.path = path;
    child.rules = parent.rules;
    if (descriptors_.fetch_add(1, std::memory_order_relaxed) < kMaxQueuedDescriptors) {
      const char* last = scratch.path.c_str() + scratch.path.size() - name.size();
      child.fd = Fd(::openat(parent.fd.get(), last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      const int error = errno;
      if (!child.fd) descriptors_.fetch_sub(1, std::memory_order_relaxed);
      if (!child.fd && error != EMFILE && error != ENFILE) {
        Unreadable(path, error, scratch);
        return;
      }
    } else {
      descriptors_.fetch_sub(1, std::memory_order_relaxed);
    }
    scratch.folders.push_back(std::move(child));
  }

  static unsigned char TypeOf(int folder, const char* name) {
    struct stat status{};
    if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return static_cast<unsigned char>(IFTODT(status.st_mode));
  }

  IgnoreDecision JudgeEntry(const QueuedFolder& folder, std::string_view name, bool is_folder,
                            const Scratch& scratch) const {
    if (!options_.ignore_rules || folder.no_rules) return {};
    IgnoreDecision decision;
    if (folder.rules) decision = folder.rules->Judge(scratch.path, is_folder);
    if (decision.verdict != IgnoreVerdict::kIgnore && is_folder && name == "node_modules")
      decision = {IgnoreVerdict::kIgnore, IgnoreSource::kNodeModules};
    return decision;
  }

  bool Ignored(const QueuedFolder& folder, std::string_view name, bool is_folder, Scratch& scratch) const {
    const IgnoreDecision decision = JudgeEntry(folder, name, is_folder, scratch);
    if (decision.verdict != IgnoreVerdict::kIgnore) return false;
    ++scratch.report.ignored;
    scratch.report.ignored_by[static_cast<std::size_t>(decision.source)] = true;
    return true;
  }

  // What vanished or became a link meanwhile is not there.
  static void Unreadable(std::string_view path, int error, Scratch& scratch) {
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) return;
    ++scratch.report.unreadable;
    if (scratch.report.unreadable_names.size() < kMaxUnreadableNames)
      scratch.report.unreadable_names.emplace_back(path.empty() ? "." : path);
  }

  const int start_;
  const std::string base_;  // real path of the start with a slash at the end
  const WalkOptions& options_;
  WalkVisitor& visitor_;

  std::atomic<int> descriptors_{1};  // open in the queue
  std::mutex mutex_;                 // guards all below
  std::condition_variable changed_;
  std::vector<QueuedFolder> queue_;
  int busy_ = 0;
  bool stop_ = false;
  bool helper_failed_ = false;
  std::vector<std::jthread> helpers_;
  WalkReport report_;
};

}  // namespace

int SearchThreads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 2, 8); }

WalkReport Walk(int start, const std::string& real, const WalkOptions& options, WalkVisitor& visitor) {
  return TreeWalk(start, real, options, visitor).Run();
}

}  // namespace awf::builtins
