#include "firn/testing/turns.h"

#include <algorithm>
#include <utility>

namespace firn {

Turns::Turns(Executor& threads, const TurnsOptions& options)
    : threads_(threads),
      keep_percent_(options.keep_percent),
      random_(MakeSeededRandom(options.seed)) {
  FIRN_CHECK(keep_percent_ < 100);
}

void Turns::Run(std::vector<std::function<void()>> actors) {
  FIRN_CHECK(threads_.concurrency() >= actors.size());
  std::unique_lock lock(mutex_);
  FIRN_CHECK(!current_);
  actors_.clear();
  for (size_t i = 0; i < actors.size(); ++i) {
    actors_.push_back(std::make_unique<Actor>());
    actors_.back()->wakes_at = elapsed_;
  }
  running_count_ = actors.size();
  thread_count_ = actors.size();
  ChooseNext();
  for (size_t i = 0; i < actors.size(); ++i) {
    threads_.Submit([this, i, &actors] { RunActor(i, actors[i]); });
  }
  has_ended_.wait(lock, [this] { return thread_count_ == 0; });
}

void Turns::RunActor(size_t index, const std::function<void()>& body) {
  {
    std::unique_lock lock(mutex_);
    WaitForTurn(index, lock);
  }
  body();
  const std::lock_guard lock(mutex_);
  actors_[index]->has_ended = true;
  --running_count_;
  ChooseNext();
  if (current_) actors_[*current_]->is_next.notify_one();
  if (--thread_count_ == 0) has_ended_.notify_one();
}

// The one who sleeps for the shortest time if nobody can run.
void Turns::ChooseNext() {
  std::vector<size_t> ready;
  std::optional<std::chrono::nanoseconds> first_wake;
  for (size_t i = 0; i < actors_.size(); ++i) {
    const Actor& actor = *actors_[i];
    if (actor.has_ended) continue;
    if (actor.wakes_at <= elapsed_) ready.push_back(i);
    first_wake = first_wake ? std::min(*first_wake, actor.wakes_at) : actor.wakes_at;
  }
  if (!first_wake) {
    current_.reset();
    return;
  }
  if (!ready.empty()) {
    current_ = ready[random_->Below(ready.size())];
    return;
  }
  elapsed_ = *first_wake;
  ChooseNext();
}

void Turns::WaitForTurn(size_t index, std::unique_lock<std::mutex>& lock) {
  actors_[index]->is_next.wait(lock, [this, index] { return current_ == index; });
}

void Turns::Pass() { Sleep(std::chrono::nanoseconds(0)); }

void Turns::Sleep(std::chrono::nanoseconds duration) {
  std::unique_lock lock(mutex_);
  if (!current_) {
    elapsed_ += duration;
    return;
  }
  const size_t own = *current_;
  const bool is_pass = duration <= std::chrono::nanoseconds(0);
  if (is_pass && random_->Below(100) < keep_percent_) return;
  actors_[own]->wakes_at = elapsed_ + duration;
  ChooseNext();
  if (current_ == own) return;
  actors_[*current_]->is_next.notify_one();
  WaitForTurn(own, lock);
}

}  // namespace firn
